/**
 * Loaded before a program: after SIGUSR2 the process stops itself (SIGSTOP) in the middle of its next write. The request is made
 * and allowed, and none of its bytes has left. Nothing from outside can hit this moment on purpose.
 */
import http from 'node:http';

const { request } = http;
/** What a leader may write, or what tells nothing about who leads. */
const APART = /\/(leases|events)\b/;
let isDue = false;

process.on('SIGUSR2', () => {
  isDue = true;
});
http.request = (options) => {
  const outgoing = request(options);
  if (isDue && options.method !== 'GET' && !APART.test(options.path)) {
    isDue = false;
    process.kill(process.pid, 'SIGSTOP');
  }
  return outgoing;
};
