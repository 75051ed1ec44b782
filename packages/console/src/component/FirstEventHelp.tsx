import type { ReactElement } from 'react';
import type { ListenerHealth } from '../api/answer.ts';
import { firstEventCommand } from '../format/first-event-command.ts';

export interface FirstEventHelpProps {
  readonly listeners: readonly ListenerHealth[];
  readonly apiUrl: string;
}

/** For a node that holds nothing yet: how to send the first event, and how to start the demo. */
export function FirstEventHelp({ listeners, apiUrl }: FirstEventHelpProps): ReactElement {
  const command = firstEventCommand(listeners, new URL(apiUrl).hostname);
  return (
    <section className="note first-event">
      <h2>This node holds no events yet</h2>
      {command === undefined ? (
        <p>Neither its OTLP/HTTP nor its _bulk listener is on. Enable one to send events.</p>
      ) : (
        <>
          <p>Send the first one, then search again:</p>
          <pre>{command}</pre>
        </>
      )}
      <p>Or replay a small shop into it, a day of history and then live:</p>
      <pre>varve demo --url {apiUrl.replace(/\/$/, '')}</pre>
    </section>
  );
}
