import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryDirectories, unpackDebianPackages } from '../suite/debian-packages.ts';
import type { Shipper, ShipperRun } from './shipper.ts';

/** rsyslog with omelasticsearch in bulk mode: `create`, and the message's UUID as `_id`. */
export const rsyslog: Shipper = {
  name: 'rsyslog',
  source: 'rsyslog',
  install: () => unpackDebianPackages(['rsyslog', 'rsyslog-elasticsearch']),
  async configure(root, run) {
    const path = join(run.directory, 'rsyslog.conf');
    await writeFile(path, configuration(run));
    const libraries = libraryDirectories(root);
    const modules = libraries.map((library) => join(library, 'rsyslog'));
    const pid = join(run.directory, 'pid');
    return {
      program: join(root, 'usr/sbin/rsyslogd'),
      args: ['-n', '-f', path, '-i', pid, '-M', modules.join(':')],
      env: { LD_LIBRARY_PATH: libraries.join(':') },
    };
  },
};

function configuration({ directory, inputPath, bulkPort }: ShipperRun): string {
  return `
global(workDirectory="${directory}" maxMessageSize="64k")
module(load="imfile" PollingInterval="1")
module(load="omelasticsearch")
template(name="document" type="list" option.jsonf="on") {
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
  property(outname="host.name" name="hostname" format="jsonf")
  property(outname="service.name" name="programname" format="jsonf")
  property(outname="severity" name="syslogseverity-text" format="jsonf")
}
template(name="id" type="string" string="%uuid%")
input(type="imfile" file="${inputPath}" tag="shop:" severity="warning" ruleset="ship")
ruleset(name="ship") {
  action(type="omelasticsearch" server="127.0.0.1" serverport="${bulkPort}" template="document"
    searchIndex="rsyslog" searchType="" bulkmode="on" bulkid="id" dynbulkid="on" writeoperation="create"
    errorfile="${join(directory, 'errors')}" action.resumeRetryCount="-1" action.resumeInterval="1")
}
`;
}
