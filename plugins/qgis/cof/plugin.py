# SPDX-License-Identifier: GPL-2.0-or-later
"""The plug-in, and the provider that it adds to Processing."""
from processing.core.ProcessingConfig import ProcessingConfig, Setting
from qgis.core import QgsApplication, QgsProcessingProvider

from .algorithms import ApplyAlgorithm, FilterAlgorithm, LearnAlgorithm
from .command import SETTING


class CofProvider(QgsProcessingProvider):
    def id(self):
        return "cof"

    def name(self):
        return "Co-occurrence Filter"

    def longName(self):
        return "Co-occurrence Filter (libcof)"

    def load(self):
        ProcessingConfig.settingIcons[self.name()] = self.icon()
        ProcessingConfig.addSetting(Setting(
            self.name(), SETTING, "Path of the command cof; empty: where the system finds it", "",
            valuetype=Setting.FILE))
        ProcessingConfig.readSettings()
        self.refreshAlgorithms()
        return True

    def unload(self):
        ProcessingConfig.removeSetting(SETTING)

    def loadAlgorithms(self):
        for algorithm in (FilterAlgorithm, LearnAlgorithm, ApplyAlgorithm):
            self.addAlgorithm(algorithm())


class CofPlugin:
    def __init__(self):
        self.provider = None

    def initProcessing(self):
        self.provider = CofProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()

    def unload(self):
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
