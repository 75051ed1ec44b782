import { describe, expect, it } from 'vitest';
import { isShownOutput, readTestedBlocks } from './tested-blocks.ts';

const fence = '```';

describe('tested blocks', () => {
  it('are the marked ones, with the output shown right after them', () => {
    const page = [
      `${fence}sh\nnot marked\n${fence}`,
      `<!-- test: start -->\n\n${fence}sh\nnpm start\n${fence}`,
      `text between\n${fence}text\nno output of it\n${fence}`,
      `<!-- test: run -->\n${fence}sh\necho 1\necho 2\n${fence}\n\n${fence}text\n1\n2\n${fence}`,
      `<!-- test: run-for 10s -->\n${fence}sh\nsleep 60\n${fence}`,
    ].join('\n\n');
    expect(readTestedBlocks(page)).toMatchObject([
      { mode: { kind: 'start' }, text: 'npm start\n', output: undefined, line: 5 },
      { mode: { kind: 'run' }, text: 'echo 1\necho 2\n', output: '1\n2\n' },
      { mode: { kind: 'run-for', seconds: 10 }, text: 'sleep 60\n' },
    ]);
  });

  it('cannot be marked wrongly without anyone noticing', () => {
    expect(() => readTestedBlocks('<!-- test: rum -->\n```sh\nx\n```')).toThrow('line 1');
    expect(() => readTestedBlocks('\n<!-- test: run -->\ntext\n```sh\nx\n```')).toThrow('line 2');
    expect(() => readTestedBlocks('<!-- test: run -->\n```yaml\nx\n```')).toThrow('no sh block');
  });

  it('print what is shown, but for durations and sizes', () => {
    expect(isShownOutput('a  \nb (1)\n\n', 'a\nb (1)\n')).toBe(true);
    expect(isShownOutput('(1 row, 0.040 s, 5.4 KiB read)', '(1 row, 1 s, 17 B read)')).toBe(true);
    expect(isShownOutput('(2 rows, 0.040 s)', '(1 row, 0.040 s)')).toBe(false);
    expect(isShownOutput('took 17 ms\nx\n', 'took 17 ms\n')).toBe(false);
  });
});
