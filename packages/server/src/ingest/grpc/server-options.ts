import type { ServerOptions } from 'node:http2';
import { minTlsVersion } from '../../base/tls-material.ts';

export const maxConnections = 4096;

/** What one connection may send beyond what has been read; streams are read as their bytes arrive. */
export const connectionWindowBytes = 16 * 1024 * 1024;

export const serverOptions: ServerOptions = {
  settings: {
    maxConcurrentStreams: 128,
    maxHeaderListSize: 32 * 1024,
    // A call of common size goes out without waiting for the receiver.
    initialWindowSize: 4 * 1024 * 1024,
    maxFrameSize: 64 * 1024,
    enablePush: false,
  },
  maxHeaderListPairs: 128,
  maxSettings: 32,
  // Megabytes; above it new streams of the connection are refused.
  maxSessionMemory: 64,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Calls that are begun and reset at once cost the sender nothing; beyond this the connection is closed.
  streamResetBurst: 500,
  streamResetRate: 33,
};

export const tlsOptions = {
  allowHTTP1: false,
  handshakeTimeout: 15_000,
  minVersion: minTlsVersion,
} as const;
