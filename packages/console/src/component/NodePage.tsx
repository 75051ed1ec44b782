import type { ReactElement, ReactNode } from 'react';
import type { ListenerHealth } from '../api/answer.ts';
import { formatAgo, formatBytes, formatCount, formatSeconds } from '../format/quantity.ts';
import type { HealthSample, HealthState } from '../state/use-health.ts';
import { ProblemNote } from './ProblemNote.tsx';

/** What the node says of itself: its ledger of events, its storage, its load. */
export function NodePage({ state }: { readonly state: HealthState }): ReactElement {
  const { latest, previous, problem } = state;
  return (
    <main className="node-page">
      {problem !== undefined && <ProblemNote problem={problem} />}
      {latest === undefined ? (
        problem === undefined && <p className="quiet">Asking the node…</p>
      ) : (
        <>
          {problem !== undefined && (
            <p className="quiet">
              The figures below are from {new Date(latest.atMs).toLocaleTimeString()}.
            </p>
          )}
          <Ledger latest={latest} previous={previous} />
          <Figures latest={latest} />
        </>
      )}
    </main>
  );
}

interface LedgerProps {
  readonly latest: HealthSample;
  readonly previous: HealthSample | undefined;
}

/** Received = stored + deduplicated + rejected, for every listener; a difference is shown, never hidden. */
function Ledger({ latest, previous }: LedgerProps): ReactElement {
  const { listeners, ingestStatus } = latest.health;
  return (
    <section>
      <h2>
        Ingest <Status status={ingestStatus} />
      </h2>
      <div className="scroll">
        <table className="ledger">
          <thead>
            <tr>
              <th scope="col">Listener</th>
              <th scope="col">Address</th>
              <th scope="col" className="number">
                Events/s
              </th>
              <th scope="col" className="number">
                Received
              </th>
              <th scope="col" className="number">
                = Stored
              </th>
              <th scope="col" className="number">
                + Deduplicated
              </th>
              <th scope="col" className="number">
                + Rejected
              </th>
              <th scope="col">Ledger</th>
              <th scope="col">Last event</th>
            </tr>
          </thead>
          <tbody>
            {listeners.map((listener) => (
              <LedgerRow
                key={listener.name}
                listener={listener}
                rate={rateOf(listener, latest, previous)}
                nowMs={latest.atMs}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface LedgerRowProps {
  readonly listener: ListenerHealth;
  readonly rate: number | undefined;
  readonly nowMs: number;
}

function LedgerRow({ listener, rate, nowMs }: LedgerRowProps): ReactElement {
  const { received, stored, deduplicated, rejected, rejectedByReason, lastEventAt } = listener;
  const open = received - stored - deduplicated - rejected;
  return (
    <tr>
      <th scope="row">
        {listener.name}
        {!listener.isAccepting && <span className="tag warn">not accepting</span>}
      </th>
      <td>
        <code>{listener.address}</code>
      </td>
      <td className="number">{rate === undefined ? '–' : formatCount(rate)}</td>
      <td className="number">{formatCount(received)}</td>
      <td className="number">{formatCount(stored)}</td>
      <td className="number">{formatCount(deduplicated)}</td>
      <td className="number">
        {formatCount(rejected)}
        {rejectedByReason.map(([reason, count]) => (
          <div key={reason} className="quiet">
            {reason} {formatCount(count)}
          </div>
        ))}
      </td>
      <td>
        {open === 0 ? '✓ balanced' : <span className="tag warn">{formatCount(open)} open</span>}
      </td>
      <td>{lastEventAt === undefined ? '–' : formatAgo(lastEventAt, nowMs)}</td>
    </tr>
  );
}

function rateOf(
  listener: ListenerHealth,
  latest: HealthSample,
  previous: HealthSample | undefined,
): number | undefined {
  const before = previous?.health.listeners.find((each) => each.name === listener.name);
  if (previous === undefined || before === undefined) return undefined;
  const events = listener.received - before.received;
  // A node that restarted counts from zero again.
  return events < 0 ? undefined : (events / (latest.atMs - previous.atMs)) * 1000;
}

function Figures({ latest }: { readonly latest: HealthSample }): ReactElement {
  const { health, atMs } = latest;
  return (
    <>
      <section>
        <h2>
          Storage <Status status={health.storageStatus} />
        </h2>
        {health.storageError !== undefined && <p className="note problem">{health.storageError}</p>}
        <dl className="figures">
          <Figure name="Published events">{formatCount(health.tableEvents)}</Figure>
          <Figure name="Data files">{formatCount(health.tableFiles)}</Figure>
          <Figure name="Published bytes">{formatBytes(health.tableBytes)}</Figure>
          <Figure name="Last commit">
            {health.lastCommitAt === undefined ? '–' : formatAgo(health.lastCommitAt, atMs)}
          </Figure>
          <Figure name="Not yet published">
            {formatBytes(health.unpublishedBytes)} of {formatBytes(health.unpublishedLimitBytes)}
          </Figure>
          <Figure name="Write-ahead log">
            {formatBytes(health.walBytes)} in {formatCount(health.walSegments)} segments
          </Figure>
          <Figure name="Bucket">
            <code>{health.bucket}</code>
          </Figure>
        </dl>
      </section>
      <section>
        <h2>Load</h2>
        <dl className="figures">
          <Figure name="Requests in flight">
            {formatBytes(health.inflightBytes)} of {formatBytes(health.inflightLimitBytes)}
          </Figure>
          <Figure name="Queries">
            {formatCount(health.queriesRunning)} running, {formatCount(health.queriesQueued)} queued
          </Figure>
          <Figure name="Up for">{formatSeconds(health.uptimeSeconds)}</Figure>
          <Figure name="Node">
            <code>{health.nodeId}</code>
          </Figure>
        </dl>
      </section>
    </>
  );
}

function Figure({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Status({ status }: { readonly status: string }): ReactElement {
  return (
    <span className="status" data-status={status}>
      {status}
    </span>
  );
}
