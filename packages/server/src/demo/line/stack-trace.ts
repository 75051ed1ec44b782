import type { Scene } from '../scene.ts';

/** Multi-line errors in the manner of the language that each service is written in. */
export const stackTraces: Readonly<Record<string, (scene: Scene) => string>> = {
  checkout: (s) =>
    [
      `com.example.checkout.OrderRejectedException: inventory did not confirm ${s.order}`,
      '\tat com.example.checkout.OrderService.confirm(OrderService.java:214)',
      '\tat com.example.checkout.OrderService.place(OrderService.java:131)',
      '\tat com.example.checkout.web.OrderResource.post(OrderResource.java:58)',
      '\tat java.base/java.lang.Thread.run(Thread.java:1583)',
      `Caused by: java.net.SocketTimeoutException: Read timed out after ${Math.round(s.durationMs)} ms`,
      '\tat com.example.http.Client.execute(Client.java:88)',
      '\t... 12 more',
    ].join('\n'),
  payment: (s) =>
    [
      `ProviderError: authorisation of ${s.order} failed with 500`,
      '    at ProviderClient.authorise (file:///app/dist/provider-client.js:77:13)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      '    at async authorisePayment (file:///app/dist/authorise-payment.js:41:20)',
      '    at async Object.handler (file:///app/dist/routes/payments.js:19:18)',
    ].join('\n'),
  search: (s) =>
    [
      'Traceback (most recent call last):',
      '  File "/app/search/server.py", line 142, in handle',
      '    hits = self.index.query(terms, limit=limit)',
      '  File "/app/search/index.py", line 310, in query',
      '    return self._merge(shard.result(timeout=0.8) for shard in shards)',
      `TimeoutError: shard ${s.random.int(0, 11)} gave no answer for '${s.words}'`,
    ].join('\n'),
  inventory: (s) =>
    [
      'panic: runtime error: invalid memory address or nil pointer dereference [recovered]',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x7a3c41]',
      '',
      `goroutine ${s.random.int(1000, 99999)} [running]:`,
      'example.com/inventory/internal/stock.(*Ledger).Reserve(0x0, {0xc0004a2000, 0x8})',
      '\t/src/internal/stock/ledger.go:97 +0x41',
      'example.com/inventory/internal/api.(*Server).reserve(0xc00012e0f0)',
      '\t/src/internal/api/server.go:203 +0x1c5',
    ].join('\n'),
  auth: (s) =>
    [
      `javax.naming.CommunicationException: directory.example.internal:636 for ${s.user}`,
      '\tat com.example.auth.Directory.bind(Directory.java:72)',
      '\tat com.example.auth.LoginService.login(LoginService.java:45)',
      'Caused by: java.net.ConnectException: Connection refused',
      '\t... 9 more',
    ].join('\n'),
  mailer: (s) =>
    [
      `smtplib.SMTPServerDisconnected: Connection unexpectedly closed: ${s.random.int(1, 9)} pending`,
      '  File "/app/mailer/deliver.py", line 88, in deliver',
      '    connection.send_message(message)',
      '  File "/usr/lib/python3.13/smtplib.py", line 918, in send_message',
    ].join('\n'),
};
