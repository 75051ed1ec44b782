import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface NullServer extends AsyncDisposable {
  readonly address: { readonly host: string; readonly port: number };
}

export async function openNullServer(): Promise<NullServer> {
  const child = fork(fileURLToPath(new URL('null-server-process.ts', import.meta.url)));
  const [port] = (await once(child, 'message')) as [number];
  return {
    address: { host: '127.0.0.1', port },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
