/**
 * The model in memory, run by node-llama-cpp on the processor.
 *
 * I1  One answer at a time: whoever calls keeps the order. A second would share the cores, and both would be slower.
 * I2  Same seed, same prompts in the same order: same answers, on the same machine.
 *
 * @import { PromptPiece } from './prompt.mjs'
 * @import { Ending } from './answer.mjs'
 *
 * @typedef {object} Generated
 * @property {string} text
 * @property {Ending} ending
 * @property {number} cachedTokens  of the prompt, those that were read for an answer before
 * @property {number} outputTokens
 *
 * @typedef {object} Generation
 * @property {Readonly<Record<string, any>>} [schema]  that the answer is held to
 * @property {number} maxTokens  of the answer
 * @property {number} [temperature]
 * @property {number} seed
 * @property {AbortSignal} signal  ends it: it rejects then
 *
 * @typedef {object} Engine
 * @property {number} contextTokens  of a prompt and its answer together
 * @property {(pieces: readonly PromptPiece[]) => readonly number[]} tokenize
 * @property {(tokens: readonly number[], generation: Generation) => Promise<Generated>} generate
 * @property {() => Promise<void>} close
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Prompts that are kept as they were read: the roles of a run take turns, and each goes on where its last prompt began. A prompt of
 * 4,000 tokens takes forty seconds to read on two cores.
 */
const LANES = 3;

/** Of a prompt. All prompts begin with some of the same words; for so few, the rest of a lane is not forgotten. */
const KNOWN_RATIO_MIN = 0.25;

/** Tokens of a prompt that are read before the next look at whether somebody still waits: three seconds on two cores. */
const READ_TOKENS = 256;

/** Where a request names none: higher, and so small a model breaks the form that it is asked to answer in. */
const TEMPERATURE = 0.2;

/** Small models repeat themselves to the limit: a little less likely for each of its last tokens. */
const REPEAT_PENALTY = { penalty: 1.05, lastTokens: 96 };

/** An answer that goes on with the next turn has ended; the first is the model's own end of a turn. */
const STOPS = ['<|im_end|>', '<|im_start|>', '<tool_response>'];

/** More grammars than a run has sets of tools; each takes a second to make. */
const GRAMMARS_MAX = 64;

/**
 * @param {{ readonly engineDirectory: string, readonly modelPath: string, readonly contextTokens: number, readonly threads: number }} options
 * @returns {Promise<Engine>}
 */
export async function openEngine({ engineDirectory, modelPath, contextTokens, threads }) {
  const entry = join(engineDirectory, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
  const { getLlama, LlamaCompletion } = await import(pathToFileURL(entry).href);
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: threads, logLevel: 'error' });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: contextTokens, sequences: LANES, threads });
  const lanes = Array.from({ length: LANES }, () => {
    const sequence = context.getSequence();
    return { sequence, completion: new LlamaCompletion({ contextSequence: sequence }), usedAt: 0 };
  });
  const grammarOf = rememberGrammars(llama);
  let uses = 0;

  return {
    contextTokens,
    tokenize: (pieces) => pieces.flatMap(({ text, isControl }) => model.tokenize(text, isControl)),
    generate: async (tokens, { schema, maxTokens, temperature = TEMPERATURE, seed, signal }) => {
      const grammar = schema === undefined ? undefined : await grammarOf(schema);
      const lane = laneFor(lanes, tokens);
      uses += 1;
      lane.usedAt = uses;
      const cachedTokens = await readPrompt(lane.sequence, tokens, signal);
      const before = lane.sequence.tokenMeter.getState();
      const { response, metadata } = await lane.completion.generateCompletionWithMeta([...tokens], {
        ...{ maxTokens, temperature, seed, signal, repeatPenalty: REPEAT_PENALTY, customStopTriggers: STOPS },
        ...(grammar === undefined ? {} : { grammar }),
      });
      const { usedOutputTokens } = lane.sequence.tokenMeter.diff(before);
      const ending = metadata.stopReason === 'maxTokens' ? 'limit' : 'end';
      return { text: response, ending, cachedTokens, outputTokens: usedOutputTokens };
    },
    close: async () => {
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}

/** The lane that has read most of it, where that is worth it; else the one that was not used for longest. */
function laneFor(lanes, tokens) {
  const knownIn = ({ sequence }) => {
    const { firstDifferentIndex: known } = sequence.compareContextTokens(tokens);
    return known < tokens.length * KNOWN_RATIO_MIN ? 0 : known;
  };
  return lanes.toSorted((a, b) => knownIn(b) - knownIn(a) || a.usedAt - b.usedAt)[0];
}

/**
 * Reads all but the last token, from which the answer begins. The engine itself would not look at the signal before it has read all.
 *
 * @returns {Promise<number>} tokens that were known
 */
async function readPrompt(sequence, tokens, signal) {
  signal.throwIfAborted();
  const toRead = tokens.slice(0, -1);
  await sequence.adaptStateToTokens(toRead, false);
  const known = sequence.nextTokenIndex;
  for (let at = known; at < toRead.length; at += READ_TOKENS) {
    signal.throwIfAborted();
    await sequence.evaluateWithoutGeneratingNewTokens(toRead.slice(at, at + READ_TOKENS));
  }
  return known;
}

/** @throws an error of the engine where it cannot keep the schema */
function rememberGrammars(llama) {
  const known = new Map();
  return async (schema) => {
    const key = JSON.stringify(schema);
    const grammar = known.get(key) ?? (await llama.createGrammarForJsonSchema(schema));
    known.delete(key);
    known.set(key, grammar);
    if (known.size > GRAMMARS_MAX) known.delete(known.keys().next().value);
    return grammar;
  };
}
