export { type Environment } from './env-source.ts';
export { processEnvironment } from './environment.ts';
export { type OptionFlag } from './flag-source.ts';
export { loadConfig, resolveConfig, type ConfigSources, type LoadedConfig } from './load.ts';
export { type Config } from './options.ts';
export { optionPaths } from './options.ts';
export { printConfig } from './print.ts';
export { renderConfigReference } from './reference.ts';
