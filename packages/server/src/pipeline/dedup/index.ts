export { DedupWindow, type DedupWindowOptions } from './dedup-window.ts';
export {
  saveFingerprints,
  tidyFingerprints,
  type FingerprintDirectory,
  type SegmentFingerprints,
} from './fingerprint-file.ts';
export { openDedupWindow, type OpenDedupWindowOptions } from './open-dedup-window.ts';
export {
  fingerprintsOf,
  fingerprintsOfRecords,
  type FingerprintsOfOptions,
} from './segment-fingerprints.ts';
