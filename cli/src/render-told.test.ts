import { describe, expect, it } from 'vitest';
import { curate } from '@retainer/mind/assemble/curator/curate';
import { figures, fullest, nowMs, self, somewhere, view } from '../../test/support/selves.ts';
import { toldLines } from './render-told.ts';

const toldOf = (of: ReturnType<typeof self>): string => curate('Perceiver', of, 20_000)?.text ?? '';

describe('the lines of a told state', () => {
  it('are one for each element, aligned, and indented as the elements are', () => {
    const of = self({
      view: view({
        lastCycleMs: nowMs - 60_000,
        thread: 'rain & <snow>',
        runs: [figures({ task: 'gauge', outcome: 'Failed' })],
        outputRejectionsInRow: 2,
        place: somewhere({ sandbox: 'down' }),
      }),
      items: { counts: ['1 threads'], runs: ['gauge: Failed', 'a "gauge" again'] },
    });
    expect(toldLines(toldOf(of))).toEqual([
      { text: 'default/agent, retainer 1.0.0', tone: 'Plain' },
      { text: expect.stringMatching(/^clock {17}now 2030-01-01 12:00 UTC · uptime 1 h 5 min · cycle /), tone: 'Quiet' },
      {
        text: `situation${' '.repeat(13)}input task · queue_depth 0 · conversation_depth 0 · thread rain & <snow>`,
        tone: 'Plain',
      },
      { text: `run${' '.repeat(19)}task work · round 1 · time_left 5 min`, tone: 'Plain' },
      { text: expect.stringMatching(/^vitals {16}cycles_today 0 · .* · success_rate 0\.00 · /), tone: 'Plain' },
      {
        text: `  failure${' '.repeat(13)}task gauge · outcome Failed · at 2030-01-01 12:00 UTC`,
        tone: 'Bad',
      },
      { text: `gates${' '.repeat(17)}outputs_rejected_in_row 2`, tone: 'Warning' },
      { text: expect.stringMatching(/^place {17}time_zone UTC · runs_on machine · pages none$/), tone: 'Plain' },
      {
        text: expect.stringMatching(/^sandbox {15}state down · languages bash python · network none · /),
        tone: 'Plain',
      },
      { text: 'meta_recommendations  low_success look at what failed before you plan', tone: 'Warning' },
      { text: expect.stringMatching(/^memory {16}runs 0 · threads 0 · /), tone: 'Plain' },
      { text: `counts${' '.repeat(16)}1 threads`, tone: 'Plain' },
      { text: `runs${' '.repeat(18)}gauge: Failed`, tone: 'Plain' },
      { text: `${' '.repeat(22)}a "gauge" again`, tone: 'Plain' },
    ]);
  });

  it('lose no value, and have no tag', () => {
    const told = toldOf(fullest());
    const lines = toldLines(told).map(({ text }) => text);
    const values = [...told.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key, value = '']) => `${key} ${plain(value)}`);
    const [agent = '', ...others] = values;
    expect(lines[0]).toBe(agent.replace('agent ', ''));
    const rest = lines.slice(1).join('\n');
    for (const value of others) expect(rest).toContain(value);
    const items = told.split('\n').filter((line) => /^(?:<(?:counts|runs|threads|facts|cases)>)?&quot;/.test(line));
    expect(items.length).toBeGreaterThan(20);
    for (const item of items) expect(rest).toContain(plain(item.replaceAll(/<[^>]*>/g, '')));
    expect(rest).not.toMatch(/<\/|\/>|="/);
  });
});

const plain = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
