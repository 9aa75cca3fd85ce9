"""The policy under the name that models saved by version 0.1 know it by."""

from drago_env.wrappers.sb3_policy import LegalActionsPolicy

__all__ = ["LegalActionsPolicy"]
