export {
  GrpcListener,
  type GrpcListenerOptions,
  type GrpcTimeouts,
  type IngestMethod,
} from './listener.ts';
