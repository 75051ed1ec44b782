import { FieldNames } from '../../codec/index.ts';

// Fields of all messages of the JSON encoding; unknown ones are 0.
export const resourceLogsField = 1;
export const resourceField = 2;
export const scopeLogsField = 3;
export const scopeField = 4;
export const logRecordsField = 5;
export const attributesField = 6;
export const nameField = 7;
export const versionField = 8;
export const timeField = 9;
export const observedTimeField = 10;
export const severityNumberField = 11;
export const severityTextField = 12;
export const bodyField = 13;
export const droppedCountField = 14;
export const flagsField = 15;
export const traceIdField = 16;
export const spanIdField = 17;
export const eventNameField = 18;
export const keyField = 19;
export const valueField = 20;
export const valuesField = 21;
/** From here on: the kinds of AnyValue. */
export const stringValueField = 22;
export const boolValueField = 23;
export const intValueField = 24;
export const doubleValueField = 25;
export const arrayValueField = 26;
export const kvlistValueField = 27;
export const bytesValueField = 28;

const numbers: Readonly<Record<string, number>> = {
  resourceLogs: resourceLogsField,
  resource: resourceField,
  scopeLogs: scopeLogsField,
  scope: scopeField,
  logRecords: logRecordsField,
  attributes: attributesField,
  name: nameField,
  version: versionField,
  timeUnixNano: timeField,
  observedTimeUnixNano: observedTimeField,
  severityNumber: severityNumberField,
  severityText: severityTextField,
  body: bodyField,
  droppedAttributesCount: droppedCountField,
  flags: flagsField,
  traceId: traceIdField,
  spanId: spanIdField,
  eventName: eventNameField,
  key: keyField,
  value: valueField,
  values: valuesField,
  stringValue: stringValueField,
  boolValue: boolValueField,
  intValue: intValueField,
  doubleValue: doubleValueField,
  arrayValue: arrayValueField,
  kvlistValue: kvlistValueField,
  bytesValue: bytesValueField,
};

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Senders use lowerCamelCase, as OTLP asks, and the names of the schema. */
export const jsonFields = new FieldNames({
  ...numbers,
  ...Object.fromEntries(Object.entries(numbers).map(([name, number]) => [snakeCase(name), number])),
});
