import type { IngestReply, IngestRequest, Protocol } from '../../pipeline/index.ts';

/** A request before its body is read. */
export type RequestHead = Omit<IngestRequest, 'body'>;

/** Where a request goes. Not a route at all: the listener answers probes and 404 itself. */
export type Route =
  /** The body is read and handed to the ingest worker. */
  | { readonly kind: 'ingest'; readonly maxBodyBytes: number }
  /** Answered on the spot; a body is read past. */
  | { readonly kind: 'reply'; readonly reply: IngestReply; readonly isPublic?: boolean }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] };

export interface RouteInput {
  readonly method: string;
  /** One leading slash, no doubled or trailing ones, configured prefix removed, still percent-encoded. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a protocol puts on an HTTP listener: the part of it that lives on the main thread. */
export interface HttpEndpoint {
  readonly protocol: Pick<Protocol, 'name' | 'replyToError'>;
  route(request: RouteInput): Route | undefined;
  /** Secrets that the request carries in the protocol's own way, besides `Bearer` and `Basic`. */
  readonly secretsOf?: (request: RouteInput) => readonly string[];
}
