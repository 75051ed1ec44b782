/** Takes HTTP requests and does nothing with them: what it reaches is the ceiling of the generator and the loopback. */
import { createServer } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const reply = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');

const server = createServer((socket) => {
  let head = Buffer.alloc(0);
  let rest = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (rest > 0) {
      rest -= chunk.length;
    } else {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(headEnd);
      if (end === -1) return;
      const length = /content-length: *(\d+)/i.exec(head.toString('latin1', 0, end))?.[1];
      rest = Number(length) - (head.length - end - headEnd.length);
      head = Buffer.alloc(0);
    }
    if (rest <= 0) socket.write(reply);
  });
});

process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
});
