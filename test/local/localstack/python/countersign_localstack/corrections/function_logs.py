"""Writes a function's log into the group that its configuration names.

AWS: "LogGroup: the name of the Amazon CloudWatch log group the function sends logs to. By default, Lambda functions send
logs to a default log group named /aws/lambda/<function name>" (docs.aws.amazon.com/lambda/latest/api/API_LoggingConfig.html).
LocalStack keeps and returns the configuration, says that it is mocked, and always writes into the default group.
"""

from localstack.services.lambda_.invocation.execution_environment import ExecutionEnvironment


def apply() -> None:
    ExecutionEnvironment.get_log_group_name = _as_configured(ExecutionEnvironment.get_log_group_name)


def _as_configured(original):
    def name(self):
        return self.function_version.config.logging_config.get("LogGroup") or original(self)

    return name
