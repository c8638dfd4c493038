/** Makes a `PermissionService` as library users build it, with whoever is asked counted. */
import {
  type PermissionRequest,
  type PermissionResponse,
  PermissionService,
  type PermissionServiceConfig,
  type RuleInput,
} from '../../../../shared/permissions/index.ts';
import { type Rule, shell } from '../support.ts';

export interface ServiceOptions extends Omit<PermissionServiceConfig, 'rules'> {
  readonly rules?: readonly Rule[] | undefined;
  /** The answer of the person; absent: there is no person. */
  readonly answer?: PermissionResponse | (() => PermissionResponse) | undefined;
}

export function serviceOf({ rules = [], answer, ...config }: ServiceOptions = {}) {
  const asked: PermissionRequest[] = [];
  const inputs = rules.map(
    ([effect, pattern, source]): RuleInput => ({ effect, pattern, source: source ?? 'project' }),
  );
  const service = new PermissionService({
    cwd: '/workspace/app',
    projectRoot: '/workspace/app',
    home: '/home/agent',
    shell: async () => shell,
    rules: inputs,
    ...(answer === undefined
      ? {}
      : {
          requestHandler: {
            handle: async (request) => {
              asked.push(request);
              return typeof answer === 'function' ? answer() : answer;
            },
          },
        }),
    ...config,
    ...(config.mode === 'bypass' && config.bypassHonoursRules === undefined ? { bypassHonoursRules: false } : {}),
  });
  return { service, asked };
}
