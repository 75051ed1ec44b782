import type { OptionSpec } from '../base/option.ts';
import { COMMAND_VARIABLES } from './env-source.ts';
import { envName, optionPaths, options } from './options.ts';

const INTRODUCTION = `# Configuration

<!-- Generated from the option table by \`npm run gen:docs\`; edit the table, not this page. -->

\`varve start --config varve.yaml\` reads one YAML file. Every key can also be an environment variable
(\`VARVE_\` and the upper-case key, \`__\` for \`.\`) or a flag of \`varve start\` (\`--ingest.max_event_bytes 4MiB\`).
A flag wins over the environment, the environment over the file, the file over the default.
Lists are comma-separated in the environment and in flags. Secrets cannot be flags.

The node does not start with an unknown key, an unknown \`VARVE_\` variable, a wrong type or a contradiction; it lists
every problem at once. \`varve config check\` does the same without starting, and \`varve config print\` shows
each effective value with its origin, secrets redacted.

**Sizes** are integers (bytes) or texts such as \`64MiB\` (1024-based) and \`64MB\` (1000-based). **Paths** are relative to the
working directory. **Addresses** are \`host:port\`, \`[ipv6]:port\`, \`:port\` (all interfaces) or \`off\`; port 0 picks a free
port.

**Who can reach a node without tokens:** a listener that needs no token binds to 127.0.0.1, whatever its default
says, unless its address is set explicitly. \`auth.query_api_token\` opens the default addresses of all listeners,
the tokens of an ingest listener its own.

Not options of the node: ${COMMAND_VARIABLES.map((name) => `\`${name}\``).join(', ')} (see \`varve --help\`).
Variables that Kubernetes sets for a service named \`varve\` are ignored.
`;

/** The page `docs/reference/configuration.md`. */
export function renderConfigReference(): string {
  const sections: string[] = [INTRODUCTION];
  let current = '';
  for (const path of optionPaths) {
    const section = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : 'node';
    if (section !== current) sections.push(`## ${section}\n`);
    current = section;
    sections.push(renderOption(path, options[path]));
  }
  return `${sections.join('\n').trimEnd()}\n`;
}

function renderOption(path: string, spec: OptionSpec<unknown>): string {
  const facts = [
    `- Default: ${spec.default === undefined ? `none (${spec.absent ?? ''})` : code(spec.default)}`,
    `- Value: ${spec.type.expects}${spec.unit === undefined ? '' : `, in ${spec.unit}`}${spec.type.isSecret ? '; secret' : ''}`,
    `- Environment: \`${envName(path)}\``,
  ];
  return `### \`${path}\`\n\n${spec.description}\n\n${facts.join('\n')}\n`;
}

const code = (value: unknown): string =>
  `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
