import { NodeError } from '../../base/errors.ts';

const tenantPattern = /^[A-Za-z0-9!_.*'()-]{1,150}$/;

/**
 * The tenant that `X-Scope-OrgID` names, else the listener's. The characters are those that other stores of this
 * header accept, so a name is safe in a path. @throws NodeError `request_malformed`
 */
export function tenantOf(header: string | undefined, configured: string): string {
  if (header === undefined || header === '') return configured;
  if (tenantPattern.test(header) && header !== '.' && header !== '..') return header;
  throw new NodeError(
    'request_malformed',
    "x-scope-orgid must be 1 to 150 characters of A-Z a-z 0-9 ! _ . * ' ( ) -",
    { details: { header: 'x-scope-orgid' } },
  );
}
