export { runDemo, type DemoHost } from './run-demo.ts';
