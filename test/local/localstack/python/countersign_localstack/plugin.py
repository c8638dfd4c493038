"""Tells LocalStack to run functions as Node processes.

LocalStack finds this by its entry point and the environment variable LAMBDA_RUNTIME_EXECUTOR=node-process.
"""

from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin


class NodeProcessPlugin(RuntimeExecutorPlugin):
    name = "node-process"

    def load(self, *_args, **_kwargs):
        from countersign_localstack.executor import NodeProcessExecutor

        return NodeProcessExecutor
