const encoder = new TextEncoder();

/** Names that OpenTelemetry gives the fields of an instrumentation scope outside OTLP. */
export const scopeNameKey = encoder.encode('otel.scope.name');
export const scopeVersionKey = encoder.encode('otel.scope.version');
