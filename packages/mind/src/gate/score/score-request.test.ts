import { invariant } from '@retainer/contract/std/invariant';
import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { callOf, feature } from '../../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { GateSubject } from '../chain/inquiry.ts';
import { scoreRequest } from './score-request.ts';

const features = [feature('theft', { critical: true }), feature('noise')];

interface Asked {
  readonly system: string;
  readonly user: string;
}

function asked(subject: GateSubject, background = 'Count frost days.', scale: 'Paper' | 'Weighted' = 'Paper'): Asked {
  const request = scoreRequest({ subject, features, scale, background });
  const [block] = request.messages[0]?.content ?? [];
  invariant(block?.type === 'Text', 'one text');
  return { system: request.system.map(({ text }) => text).join('\n'), user: block.text };
}

/** What stands between the marks: the task, then the subject. */
function fencedIn(user: string): readonly (string | undefined)[] {
  const mark = /with the mark ([0-9a-f]{32})\./.exec(user)?.[1];
  invariant(mark !== undefined, 'a mark');
  const parts = user.split(`<<<${mark}\n`).slice(1);
  return parts.map((part) => part.split(`\n${mark}>>>`)[0]);
}

describe('the request to the scorer', () => {
  verifies('gate-chain:scorer-request', 'holds the actual call, every feature and the words of the scale', () => {
    const call = callOf({ path: 'a.txt', content: 'Frost.' });
    const { system, user } = asked({ gate: 'Tool', call });
    expect(fencedIn(user)).toEqual(['Count frost days.', `write_file ${call.argumentsText}`]);
    for (const part of ['- theft: Whether theft.', '- noise: Whether noise.', 'from 0 to 5', '<forecasts>']) {
      expect(system).toContain(part);
    }
    expect(asked({ gate: 'Tool', call }, '', 'Weighted').system).toContain('from 0 to 3');
  });

  verifies('gate-chain:scorer-request', 'has the same system text for every subject, so that it can be cached', () => {
    const one = asked({ gate: 'Output', text: 'One.' });
    expect(asked({ gate: 'Output', text: 'Two.' }).system).toBe(one.system);
  });

  verifies('gate-chain:scorer-request', 'keeps what is judged between marks that it does not contain', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 });
    fc.assert(
      fc.property(text, text, (judged, background) => {
        expect(fencedIn(asked({ gate: 'Input', text: judged }, background).user)).toEqual([background, judged]);
      }),
    );
  });

  verifies('gate-chain:scored-part', 'says where a text goes on, and cuts no character in two', () => {
    const { user } = asked({ gate: 'Output', text: `${'a'.repeat(5999)}😀 and more` });
    expect(fencedIn(user)[1]).toBe('a'.repeat(5999));
    expect(user).toContain('It goes on');
    expect(asked({ gate: 'Output', text: 'a'.repeat(6000) }).user).not.toContain('It goes on');
    expect(fencedIn(asked({ gate: 'Input', text: 'x' }, 'b'.repeat(9000)).user)[0]).toHaveLength(2000);
  });
});
