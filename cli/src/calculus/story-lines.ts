/** Lines in the tone of what they say. */
import type { StoryLine } from '@retainer/agent-pod/tell-records';
import type { NormativeVerdict } from '@retainer/agent-pod/try-norms';

export const plain = (text: string): StoryLine => ({ text, tone: 'Plain' });
export const quiet = (text: string): StoryLine => ({ text, tone: 'Quiet' });
export const warning = (text: string): StoryLine => ({ text, tone: 'Warning' });

const tones = { Flourishing: 'Good', Constrained: 'Warning', Prohibited: 'Bad' } as const;

export const judged = (verdict: NormativeVerdict, text: string): StoryLine => ({ text, tone: tones[verdict] });
