import { parseSync, Visitor, type VisitorObject } from 'oxc-parser';

export interface ImportSite {
  readonly specifier: string;
  /** True when nothing of the import is left at run time. */
  readonly isTypeOnly: boolean;
  readonly offset: number;
}

export interface NamedSite {
  readonly name: string;
  readonly offset: number;
}

export interface ParsedSource {
  readonly imports: readonly ImportSite[];
  /** Members of `process` that are used, however they are reached. */
  readonly processMembers: readonly NamedSite[];
  /** Names of classes, interfaces and type aliases. */
  readonly typeNames: readonly NamedSite[];
  readonly starExports: readonly number[];
  readonly syntaxErrors: readonly string[];
}

interface Sites {
  readonly imports: ImportSite[];
  readonly processMembers: NamedSite[];
  readonly typeNames: NamedSite[];
  readonly starExports: number[];
}

interface StringNode {
  readonly value: unknown;
  readonly start: number;
}

function importVisitor(sites: Sites): VisitorObject {
  const add = (source: StringNode, isTypeOnly: boolean): void => {
    if (typeof source.value !== 'string') return;
    sites.imports.push({ specifier: source.value, isTypeOnly, offset: source.start });
  };
  return {
    ImportDeclaration(node) {
      add(node.source, node.importKind === 'type');
      if (node.source.value !== 'node:process' && node.source.value !== 'process') return;
      for (const specifier of node.specifiers) {
        if (specifier.type !== 'ImportSpecifier') continue;
        const { imported } = specifier;
        const name = imported.type === 'Identifier' ? imported.name : String(imported.value);
        sites.processMembers.push({ name, offset: specifier.start });
      }
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) add(node.source, node.exportKind === 'type');
    },
    ExportAllDeclaration(node) {
      add(node.source, node.exportKind === 'type');
      if (node.exported === null) sites.starExports.push(node.start);
    },
    ImportExpression(node) {
      if (node.source.type === 'Literal') add(node.source, false);
    },
    TSImportType(node) {
      add(node.source, true);
    },
  };
}

function nameVisitor(sites: Sites): VisitorObject {
  return {
    MemberExpression(node) {
      const { object, property } = node;
      const isProcess =
        (object.type === 'Identifier' && object.name === 'process') ||
        (object.type === 'MemberExpression' &&
          object.property.type === 'Identifier' &&
          object.property.name === 'process' &&
          object.object.type === 'Identifier' &&
          object.object.name === 'globalThis');
      if (!isProcess) return;
      if (property.type === 'Identifier') {
        sites.processMembers.push({ name: property.name, offset: node.start });
      } else if (property.type === 'Literal') {
        sites.processMembers.push({ name: String(property.value), offset: node.start });
      }
    },
    VariableDeclarator(node) {
      if (node.init?.type !== 'Identifier' || node.init.name !== 'process') return;
      if (node.id.type !== 'ObjectPattern') return;
      for (const property of node.id.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier') continue;
        sites.processMembers.push({ name: property.key.name, offset: property.start });
      }
    },
    ClassDeclaration(node) {
      if (node.id !== null) sites.typeNames.push({ name: node.id.name, offset: node.id.start });
    },
    TSInterfaceDeclaration(node) {
      sites.typeNames.push({ name: node.id.name, offset: node.id.start });
    },
    TSTypeAliasDeclaration(node) {
      sites.typeNames.push({ name: node.id.name, offset: node.id.start });
    },
  };
}

/** What the layer rules need to know of one file; `path` decides between TypeScript and TSX. */
export function parseSource(path: string, text: string): ParsedSource {
  const { program, errors } = parseSync(path, text);
  const sites: Sites = { imports: [], processMembers: [], typeNames: [], starExports: [] };
  new Visitor({ ...importVisitor(sites), ...nameVisitor(sites) }).visit(program);
  return { ...sites, syntaxErrors: errors.map((error) => error.message) };
}
