import { describe, expect, it } from 'vitest';
import { alterEvent, parseAlteration } from './alter-event.ts';

describe('parseAlteration', () => {
  it.each([
    { text: '12:answer.text=no', store: 'cycle', seq: 12, path: ['answer', 'text'], value: 'no' },
    { text: 'run/3:usage.inputTokens=7', store: 'run', seq: 3, path: ['usage', 'inputTokens'], value: 7 },
    { text: '0:a="x=y"', store: 'cycle', seq: 0, path: ['a'], value: 'x=y' },
    { text: '0:a=b=c', store: 'cycle', seq: 0, path: ['a'], value: 'b=c' },
  ])('reads $text', ({ text, ...alteration }) => {
    expect(parseAlteration(text)).toEqual({ ok: true, value: alteration });
  });

  it.each(['', '12', '12:a', 'x:a=1', '-1:a=1', '12:=1'])('refuses %j and says how it reads', (text) => {
    const parsed = parseAlteration(text);
    expect(parsed.ok ? '' : parsed.error).toContain('SEQ:PATH=VALUE');
  });
});

describe('alterEvent', () => {
  const event = { kind: 'Answered', content: [{ text: 'a' }, { text: 'b' }] };

  it('changes one member and leaves the given event as it was', () => {
    expect(alterEvent(event, ['content', '1', 'text'], 'c')).toEqual({
      ok: true,
      value: { kind: 'Answered', content: [{ text: 'a' }, { text: 'c' }] },
    });
    expect(event.content[1]).toEqual({ text: 'b' });
  });

  it.each([
    { path: ['contents'], error: 'no field "contents" here; fields: kind, content' },
    { path: ['content', '2'], error: 'no field "2" here; fields: 0, 1' },
    { path: ['kind', 'x'], error: 'no field "x" here; fields: string' },
  ])('names the step that is not there: $error', ({ path, error }) => {
    expect(alterEvent(event, path, 1)).toEqual({ ok: false, error });
  });
});
