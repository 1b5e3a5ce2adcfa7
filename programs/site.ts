import { ROLES } from '../product/assembly.ts';
import { DEFAULT_PORT } from './config.ts';
import { runProgram } from './program.ts';

runProgram(ROLES, DEFAULT_PORT);
