import { DEFAULT_PORT } from './config/config.ts';
import { runProgram } from './parts/program.ts';

runProgram(['gateway'], DEFAULT_PORT + 1);
