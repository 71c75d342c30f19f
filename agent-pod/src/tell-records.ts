/** Telling what a record says, for whoever shows it: the command line now, the console later. */
export type { StoryRound } from './explain/rounds.ts';
export {
  renderCost,
  renderCount,
  renderDuration,
  renderPlural,
  renderSize,
  renderSigned,
  renderTwoDigits,
  shortDigest,
} from './explain/figures.ts';
export { renderStep, renderStory } from './explain/render-story.ts';
export type { StoryLine, StoryStep, Tone } from './explain/story.ts';
export { storyTeller, tellRun, type RunStory } from './explain/tell-run.ts';
export { appealOf, isOverridable } from './gate/override.ts';
export { renderEffect } from './gate/render-effect.ts';
