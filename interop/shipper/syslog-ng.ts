import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryDirectories, unpackDebianPackages } from '../suite/debian-packages.ts';
import type { Shipper, ShipperRun } from './shipper.ts';

/** syslog-ng with its elasticsearch-http() destination: `index`, and the message's unique id as `_id`. */
export const syslogNg: Shipper = {
  name: 'syslog-ng',
  source: 'syslog-ng',
  install: () => unpackDebianPackages(['syslog-ng-core', 'syslog-ng-mod-http', 'syslog-ng-scl']),
  async configure(root, run) {
    const { directory } = run;
    const path = join(directory, 'syslog-ng.conf');
    await writeFile(path, configuration(root, run));
    const state = ['-R', join(directory, 'persist'), '-p', join(directory, 'pid')];
    const home = join(root, 'usr/lib/syslog-ng');
    const modules = join(home, versionOf(root));
    return {
      program: join(root, 'usr/sbin/syslog-ng'),
      args: ['-F', '-f', path, ...state, '-c', join(directory, 'ctl'), '--module-path', modules],
      env: { LD_LIBRARY_PATH: [...libraryDirectories(root), home].join(':') },
    };
  },
};

/** `3.38`: the folder of its modules, and the version its configuration must name. */
function versionOf(root: string): string {
  const names = readdirSync(join(root, 'usr/lib/syslog-ng'));
  const version = names.find((name) => /^\d+\.\d+$/.test(name));
  if (version === undefined) throw new Error('no modules of syslog-ng were unpacked');
  return version;
}

function configuration(root: string, { inputPath, bulkPort }: ShipperRun): string {
  const pairs = [
    '@timestamp=$ISODATE',
    'message=$MESSAGE',
    'host.name=$HOST',
    'service.name=$PROGRAM',
    'level=$LEVEL',
  ];
  const document = pairs.map((pair) => `--pair ${pair}`).join(' ');
  return `
@version: ${versionOf(root)}
@include "${join(root, 'usr/share/syslog-ng/include/scl/elasticsearch/elastic-http.conf')}"
options { keep-hostname(yes); time-reap(1); use-uniqid(yes); };
source input {
  file("${inputPath}" flags(no-parse) program-override("shop") follow-freq(1));
};
destination node {
  elasticsearch-http(
    url("http://127.0.0.1:${bulkPort}/_bulk") index("syslog-ng") type("") custom-id("$UNIQID")
    template("$(format-json --scope none ${document})") time-reopen(1)
  );
};
log { source(input); destination(node); flags(flow-control); };
`;
}
