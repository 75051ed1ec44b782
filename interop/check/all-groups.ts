import type { CheckGroup } from '../suite/check-list.ts';
import type { Installed } from '../suite/installation.ts';
import { bulkClientGroups } from './bulk-clients.ts';
import { crashGroup } from './crash-rounds.ts';
import { freshCloneGroup } from './fresh-clone.ts';
import { gelfGroup } from './gelf.ts';
import { logSetGroup } from './log-sets.ts';
import { otlpExporterGroups } from './otlp-exporters.ts';
import { s3ObjectGroup } from './s3-objects.ts';
import { shipperGroups } from './shippers.ts';
import { typesGroup } from './types.ts';

export interface GroupsOptions {
  /** Holds the data of all nodes. */
  readonly directory: string;
  readonly logHubDirectory: string | undefined;
  readonly python: Installed<string>;
}

/** In the order they run. Importing this needs the installed packages. */
export function allGroups(options: GroupsOptions): readonly CheckGroup[] {
  const { directory, python } = options;
  return [
    typesGroup,
    logSetGroup(options),
    ...otlpExporterGroups(directory),
    ...bulkClientGroups(directory),
    ...shipperGroups(directory),
    gelfGroup(directory, python),
    s3ObjectGroup(directory),
    crashGroup(directory),
    freshCloneGroup(directory),
  ];
}
