/** Telling what a record says, for whoever shows it: the command line now, the console later. */
export { renderCost, renderCount, renderDuration, renderPlural, renderSize, shortDigest } from './explain/figures.ts';
export { renderStep, renderStory, type StoryLine } from './explain/render-story.ts';
export type { StoryStep, Tone } from './explain/story.ts';
export { storyTeller, tellRun, type RunStory } from './explain/tell-run.ts';
export { systemClock } from './loop/system-clock.ts';
