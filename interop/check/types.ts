import { join } from 'node:path';
import type { CheckGroup } from '../suite/check-list.ts';
import { outputOf } from '../suite/command.ts';

const repository = join(import.meta.dirname, '../..');

/** The suite's own types, which come with the packages it has just installed. */
export const typesGroup: CheckGroup = {
  name: 'types',
  async run(checks) {
    await checks.check('the suite uses its clients as their types allow', async () => {
      const compiler = join(repository, 'node_modules/typescript/bin/tsc');
      await outputOf(process.execPath, [compiler, '-p', join(repository, 'interop')]);
    });
  },
};
