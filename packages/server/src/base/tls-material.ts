import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { NodeError } from './errors.ts';

export interface TlsFiles {
  /** The options that name the files, for errors: `server.tls`. */
  readonly section: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** What every port of the node asks for at least. */
export const minTlsVersion = 'TLSv1.2';

/** Reads certificate and key and checks that they belong together. @throws NodeError `config_invalid` */
export async function readTlsMaterial(files: TlsFiles): Promise<TlsMaterial> {
  const { section, certFile, keyFile } = files;
  try {
    const material = { cert: await readFile(certFile), key: await readFile(keyFile) };
    createSecureContext(material);
    return material;
  } catch (cause) {
    throw new NodeError('config_invalid', `the files of ${section} cannot be used; see the log`, {
      details: { cert_file: certFile, key_file: keyFile },
      internal: { reason: cause instanceof Error ? cause.message : String(cause) },
      cause,
    });
  }
}

/** The files of a section of which both options are set or none is; the configuration has checked that. */
export function tlsFilesOf(
  section: string,
  options: { readonly certFile: string | undefined; readonly keyFile: string | undefined },
): TlsFiles | undefined {
  const { certFile, keyFile } = options;
  return certFile === undefined || keyFile === undefined
    ? undefined
    : { section, certFile, keyFile };
}
