#include "level2_call.h"

#include <string.h>

const level2_traits level2_family_traits[L2_FAMILIES] = {
    [L2_GEMV] = {"gemv", "gemv", SHAPE_GENERAL, STORED_FULL, .has_beta = true, .has_y = true},
    [L2_GBMV] = {"gbmv", "gbmv", SHAPE_GENERAL, STORED_BAND, .has_beta = true, .has_y = true},
    [L2_SYMV] = {"symv", "hemv", SHAPE_SYMMETRIC, STORED_FULL, .has_beta = true, .has_y = true},
    [L2_SBMV] = {"sbmv", "hbmv", SHAPE_SYMMETRIC, STORED_BAND, .has_beta = true, .has_y = true},
    [L2_SPMV] = {"spmv", "hpmv", SHAPE_SYMMETRIC, STORED_PACKED, .has_beta = true, .has_y = true},
    [L2_TRMV] = {"trmv", "trmv", SHAPE_TRIANGLE, STORED_FULL, .solves = false},
    [L2_TBMV] = {"tbmv", "tbmv", SHAPE_TRIANGLE, STORED_BAND, .solves = false},
    [L2_TPMV] = {"tpmv", "tpmv", SHAPE_TRIANGLE, STORED_PACKED, .solves = false},
    [L2_TRSV] = {"trsv", "trsv", SHAPE_TRIANGLE, STORED_FULL, .solves = true},
    [L2_TBSV] = {"tbsv", "tbsv", SHAPE_TRIANGLE, STORED_BAND, .solves = true},
    [L2_TPSV] = {"tpsv", "tpsv", SHAPE_TRIANGLE, STORED_PACKED, .solves = true},
    [L2_GER] = {"ger", "geru", SHAPE_GENERAL, STORED_FULL, .updates = true, .has_y = true},
    [L2_GERC] = {NULL, "gerc", SHAPE_GENERAL, STORED_FULL, .updates = true, .has_y = true},
    [L2_SYR] = {"syr", "her", SHAPE_SYMMETRIC, STORED_FULL, .updates = true},
    [L2_SPR] = {"spr", "hpr", SHAPE_SYMMETRIC, STORED_PACKED, .updates = true},
    [L2_SYR2] = {"syr2", "her2", SHAPE_SYMMETRIC, STORED_FULL, .updates = true, .has_y = true},
    [L2_SPR2] = {"spr2", "hpr2", SHAPE_SYMMETRIC, STORED_PACKED, .updates = true, .has_y = true},
};

bool level2_is_complex(char type)
{
    return type == 'c' || type == 'z';
}

const char *level2_name(level2_family f, char type)
{
    static char name[8];
    const level2_traits *t = &level2_family_traits[f];
    const char *base = level2_is_complex(type) ? t->complex : t->real;
    if (!base)
        return NULL;
    name[0] = type;
    strcpy(name + 1, base);
    return name;
}
