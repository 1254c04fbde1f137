/**
 * Runs the command in its arguments, and kills its process group when the IPC channel to the parent closes. Without it,
 * `npm install` and `next build` would survive a SIGKILL of the script and write into folders that the next start uses.
 */
import { spawn } from 'node:child_process';

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.once('exit', (code) => process.exit(code ?? 128));
