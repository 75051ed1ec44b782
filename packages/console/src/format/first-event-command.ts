import type { ListenerHealth } from '../api/answer.ts';

/** A curl command that sends one event to the node's own listener; undefined when no suitable one is on. */
export function firstEventCommand(
  listeners: readonly ListenerHealth[],
  apiHostname: string,
): string | undefined {
  const find = (name: string): ListenerHealth | undefined =>
    listeners.find((listener) => listener.name === name);
  const otlp = find('otlp_http');
  if (otlp !== undefined) {
    return [
      `curl -i ${listenerUrl(otlp.address, apiHostname)}/v1/logs \\`,
      `  -H 'content-type: application/json' \\`,
      `  -d '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello"}}]},`,
      `       "scopeLogs":[{"logRecords":[{"severityText":"INFO","body":{"stringValue":"my first event"}}]}]}]}'`,
    ].join('\n');
  }
  const bulk = find('bulk');
  if (bulk === undefined) return undefined;
  return [
    `printf '%s\\n' '{"create":{"_index":"hello"}}' '{"message":"my first event","service.name":"hello"}' |`,
    `  curl -i ${listenerUrl(bulk.address, apiHostname)}/_bulk -H 'content-type: application/x-ndjson' --data-binary @-`,
  ].join('\n');
}

/** A listener bound to every interface is reached where the API is. */
function listenerUrl(address: string, apiHostname: string): string {
  if (/^https?:\/\//.test(address)) return address.replace(/\/$/, '');
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  const isWildcard = ['', '0.0.0.0', '[::]', '::', '*'].includes(host);
  return `http://${isWildcard ? apiHostname : host}${address.slice(colon)}`;
}
