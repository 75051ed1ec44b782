const unitMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000001,
};

/** `grpc-timeout` in milliseconds; infinity when it is missing or cannot be read. */
export function timeoutMsOf(header: string | undefined): number {
  const match = /^(\d{1,8})([HMSmun])$/.exec(header ?? '');
  const unit = unitMs[match?.[2] ?? ''];
  return match === null || unit === undefined ? Infinity : Number(match[1]) * unit;
}
