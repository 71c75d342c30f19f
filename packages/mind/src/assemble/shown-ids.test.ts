import { describe, expect, it } from 'vitest';
import { withOwnIds } from './shown-ids.ts';

const calls = ['run-e1-t1', 'run-e1-t2', 't1'].map((callId) => ({ callId }));

describe('withOwnIds', () => {
  it.each([
    ['t2', 'run-e1-t2'],
    [' T2 ', 'run-e1-t2'],
    ['run-e1-t1', 'run-e1-t1'],
    // An id of a call precedes a name that another call is shown under.
    ['t1', 't1'],
    ['t3', 't1'],
    ['t4', 't4'],
    ['nothing', 'nothing'],
    ['tool-call t2 tool=bash status=ok exit=0 arguments: {"script":"echo t1"}', 'run-e1-t2'],
    [
      'tool-call t9 tool=bash arguments: {"script":"echo t1"}',
      'tool-call t9 tool=bash arguments: {"script":"echo t1"}',
    ],
    ['nothing in t2 shows it', 'nothing in t2 shows it'],
    ['t2-of-others', 't2-of-others'],
    ['at2 or t20', 'at2 or t20'],
  ])('takes %j for %j', (cited, own) => {
    const claim = { criterion: 1, met: true, evidence: [cited], reason: 'r' };
    expect(withOwnIds([claim], calls)).toEqual([{ ...claim, evidence: [own] }]);
  });
});
