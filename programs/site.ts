import { ROLES } from '#product/assembly.ts';
import { allocateAsUsualInChildren } from './allocation.ts';
import { DEFAULT_PORT } from './config/config.ts';
import { runProgram } from './parts/program.ts';

allocateAsUsualInChildren(process.env);
runProgram(ROLES, DEFAULT_PORT);
