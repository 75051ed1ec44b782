import { IngestLoop } from './ingest-loop.ts';

interface SendMessage {
  readonly request: number;
  readonly ids: readonly string[];
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: ingest-child.ts <directory>');

const loop = await IngestLoop.open(directory);

process.on('message', (message: SendMessage) => {
  const answer = (isStored: boolean): void => {
    process.send?.({ request: message.request, isStored });
  };
  loop.send(message.ids).then(
    () => answer(true),
    () => answer(false),
  );
});

process.send?.({ isReady: true });
for (;;) {
  await loop.seal();
  await new Promise((resolve) => setTimeout(resolve, 5));
}
