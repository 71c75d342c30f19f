/** Lines of a story, each with its tone. */
import type { StoryLine } from '@retainer/mind/part/story';
import type { NormativeVerdict } from '@retainer/mind/gate/calculus/floors';

export const plain = (text: string): StoryLine => ({ text, tone: 'Plain' });
export const quiet = (text: string): StoryLine => ({ text, tone: 'Quiet' });
export const warning = (text: string): StoryLine => ({ text, tone: 'Warning' });

const tones = { Flourishing: 'Good', Constrained: 'Warning', Prohibited: 'Bad' } as const;

export const judged = (verdict: NormativeVerdict, text: string): StoryLine => ({ text, tone: tones[verdict] });
