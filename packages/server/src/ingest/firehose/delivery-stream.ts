import { NodeError } from '../../base/errors.ts';
import { type AttributeSink, JsonCursor, JsonFlattener } from '../../codec/index.ts';
import { SharedAttributes } from '../../columns/index.ts';

const encoder = new TextEncoder();
const commonAttributesHeader = 'x-amz-firehose-common-attributes';
const sourceArnHeader = 'x-amz-firehose-source-arn';

/** `arn:aws:firehose:<region>:<account>:deliverystream/<name>` */
const arnPattern = /^arn:[^:]*:firehose:([^:]*):([^:]*):deliverystream\/(.+)$/;

export interface DeliveryStream {
  /** Undefined when the ARN is missing or is none of a delivery stream. */
  readonly name: Uint8Array | undefined;
  /** What all events of the request share. */
  readonly attributes: SharedAttributes;
}

/**
 * What the headers of a request say about the stream it comes from: common attributes as the operator configured
 * them, then what the ARN tells. @throws NodeError `ingest_malformed_body` for common attributes that are no JSON
 */
export function readDeliveryStream(headers: Readonly<Record<string, string>>): DeliveryStream {
  const attributes = new SharedAttributes();
  const common = headers[commonAttributesHeader];
  if (common !== undefined) readCommonAttributes(common, sinkOf(attributes));
  const arn = headers[sourceArnHeader];
  const match = arnPattern.exec(arn ?? '');
  const add = (name: string, value: string | undefined): void => {
    if (value === undefined || value === '') return;
    const key = encoder.encode(name);
    const bytes = encoder.encode(value);
    attributes.add(key, 0, key.length, bytes, 0, bytes.length);
  };
  add('cloud.region', match?.[1]);
  add('cloud.account.id', match?.[2]);
  add('aws.firehose.arn', arn);
  const name = match?.[3];
  return { name: name === undefined ? undefined : encoder.encode(name), attributes };
}

function sinkOf(attributes: SharedAttributes): AttributeSink {
  return {
    attribute: (...span) => attributes.add(...span),
    attributeNull: (...span) => attributes.addNull(...span),
  };
}

/** `{"commonAttributes":{…}}`. Header values arrive as Latin-1; the sender writes UTF-8. */
function readCommonAttributes(header: string, sink: AttributeSink): void {
  const cursor = new JsonCursor();
  const flattener = new JsonFlattener(cursor);
  try {
    cursor.open(Buffer.from(header, 'latin1'));
    cursor.enterObject();
    while (cursor.nextKey()) {
      const key = Buffer.from(cursor.text.subarray(cursor.textStart, cursor.textEnd));
      if (key.toString() === 'commonAttributes') flattener.object(sink);
      else cursor.skip();
    }
    cursor.expectEnd();
  } catch (cause) {
    throw malformedHeader(cause);
  }
}

function malformedHeader(cause: unknown): NodeError {
  return new NodeError(
    'ingest_malformed_body',
    `${commonAttributesHeader} must be {"commonAttributes":{...}}`,
    { details: { header: commonAttributesHeader }, cause },
  );
}
