import { NodeError } from '../base/errors.ts';
import { formatListenAddress, type ListenAddress } from '../base/listen-address.ts';

export type BoundAddress = Exclude<ListenAddress, 'off'>;

/** Opens a listener at the address of the option `key`. @throws NodeError `config_invalid` that names the option */
export async function openAt<T>(
  key: string,
  address: BoundAddress,
  open: (address: BoundAddress) => Promise<T>,
): Promise<T> {
  try {
    return await open(address);
  } catch (cause) {
    if (cause instanceof NodeError) throw cause;
    const isInUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const reason = isInUse ? 'the port is in use; choose another or set it to off' : String(cause);
    throw new NodeError('config_invalid', `${key} ${formatListenAddress(address)}: ${reason}`, {
      cause,
    });
  }
}
