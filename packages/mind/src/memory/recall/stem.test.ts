import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { stem } from './stem.ts';

/** Each step of the algorithm has a row, and so has each exception. */
const forms: readonly (readonly [stem: string, words: string])[] = [
  ['connect', 'connect connects connected connecting connection connections'],
  ['hope', 'hope hopes hoped hoping'],
  ['hop', 'hop hops hopped hopping'],
  ['tie', 'tie ties tied tying'],
  ['cri', 'cry cries cried'],
  ['by', 'by'],
  ['say', 'say says saying'],
  ['agre', 'agree agreed'],
  ['feed', 'feed'],
  ['gas', 'gas'],
  ['this', 'this'],
  ['kiwi', 'kiwis'],
  ['glass', 'glass glasses'],
  ['focus', 'focus'],
  ['luxuri', 'luxury luxuriate'],
  ['ration', 'rational'],
  ['relat', 'relate relational'],
  ['generous', 'generous generously'],
  ['generat', 'generate generation'],
  ['communiti', 'community communities'],
  ['arsenal', 'arsenal'],
  ['biolog', 'biology biological'],
  ['happi', 'happy happiness'],
  ['electr', 'electric electrical electricity'],
  ['hope', 'hopeful hopefulness'],
  ['adopt', 'adoption adopted'],
  ['replac', 'replacement replaced'],
  ['rate', 'rate rates'],
  ['control', 'controll control'],
  ['sky', 'sky skies'],
  ['die', 'dying die'],
  ['news', 'news'],
  ['proceed', 'proceed proceeds proceeding'],
  ['earli', 'early'],
  ['youth', 'youth youths'],
];

describe('the stem', () => {
  for (const [wanted, words] of forms)
    verifies('recall:stems', `${wanted}: ${words}`, () => {
      for (const word of words.split(' ')) expect(stem(word), word).toBe(wanted);
    });

  it('of anything but letters from a to z is the word', () => {
    for (const word of ['', 'a', 'is', '2023', 'größe', 'ходить', '计算', "don't"]) expect(stem(word)).toBe(word);
  });
});
