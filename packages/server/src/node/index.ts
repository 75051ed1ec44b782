export { openNode, type Node, type OpenNodeOptions } from './open-node.ts';
