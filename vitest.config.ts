import { defineConfig } from 'vitest/config';

function project(name: string, include: readonly string[]) {
  return { extends: true as const, test: { name, include: [...include] } };
}

export default defineConfig({
  test: {
    // Native modules and worker threads inside the tests are happier in processes of their own.
    pool: 'forks',
    // Two cores are the smallest machine the project supports; more only helps there.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    restoreMocks: true,
    exclude: ['**/node_modules/**', '**/dist/**', 'packages/console/e2e/**'],
    projects: [
      project('contract', ['packages/contract/**/*.test.ts']),
      project('server', ['packages/server/**/*.test.ts']),
      project('console', ['packages/console/{src,test}/**/*.test.{ts,tsx}']),
      project('tools', ['{tools,bench,interop}/**/*.test.ts']),
    ],
  },
});
